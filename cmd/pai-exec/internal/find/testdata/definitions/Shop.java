package shop;

import java.util.List;

public class Shop {
    private final List<String> items;

    public Shop(List<String> items) {
        this.items = items;
    }

    @Override
    public String toString() {
        if (items.isEmpty()) {
            return "empty";
        }
        for (String item : items) {
            System.out.println(item);
        }
        return items.toString();
    }

    static <T extends Comparable<T>> T max(List<T> all) {
        return all.get(0);
    }

    enum State {
        OPEN, PAID
    }

    interface Pricer {
        int price(String item);
    }
}
