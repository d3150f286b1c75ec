<?php

namespace App\Shop;

interface Priced
{
    public function price(): int;
}

trait Named
{
    protected function name(): string
    {
        return 'function not()';
    }
}

abstract class Item implements Priced
{
    use Named;

    public function __construct(private string $name)
    {
    }

    public static function &parse(string $text): static
    {
        return new static($text);
    }
}

function total(array $items): int
{
    return array_sum(array_map(function ($i) {
        return $i->price();
    }, $items));
}
