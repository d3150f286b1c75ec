'use strict'

class Cart {
  constructor(owner) {
    this.owner = owner
  }

  add(item) {
    if (item) {
      this.items.push(item)
    }
  }
}

function total(items) {
  return items.reduce(function (sum, i) {
    return sum + i.cents
  }, 0)
}

const price = function (item) {
  return item.cents
}

describe('cart', function () {
  it('adds', () => {
    total([])
  })
})
