import dataclasses


@dataclasses.dataclass
class Item:
    name: str
    cents: int = 0

    def total(self, count=1):
        def rounded(value):
            return round(value)

        return rounded(self.cents * count)

    @property
    def label(self):
        return f"def {self.name}"


async def fetch(url):
    return url


class Cart(list):
    """A cart.

    def not_one(self): stands in a text
    """

    async def pay(
        self,
        card,
    ):
        return card
