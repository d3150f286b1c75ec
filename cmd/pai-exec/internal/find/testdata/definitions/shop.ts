export interface Item {
  name: string
}

export type Cents = number

export enum State {
  Open,
  Paid,
}

export abstract class Cart<T extends Item> {
  private items: T[] = []

  constructor(readonly owner: string) {
    this.items = []
  }

  async add(item: T): Promise<void> {
    if (item.name) {
      this.items.push(item)
    }
  }
}

export function total(items: Item[]): Cents {
  return items.reduce((sum, i) => sum + i.name.length, 0)
}
