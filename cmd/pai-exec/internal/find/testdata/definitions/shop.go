package shop

import "fmt"

// Cart holds items.
type Cart struct {
	items []Item
}

type Item struct{ Name string }

type Pricer interface {
	Price(i Item) int
}

type Cents int

func New() *Cart { return &Cart{} }

func (c *Cart) Add(i Item) error {
	if i.Name == "" {
		return fmt.Errorf("no name")
	}
	c.items = append(c.items, i)
	return nil
}

func Map[T, U any](in []T, f func(T) U) (out []U) {
	for _, t := range in {
		out = append(out, f(t))
	}
	return out
}
