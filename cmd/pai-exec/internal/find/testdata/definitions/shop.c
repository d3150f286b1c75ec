#include <stdio.h>

#define MAX_ITEMS 16
#define PRICE(i) ((i)->cents)

struct item {
    const char *name;
    int cents;
};

enum state { OPEN, PAID };

static int total;

static int add(struct item *i) {
    if (!i) {
        return -1;
    }
    total += PRICE(i);
    return 0;
}

struct item *find(const char *name)
{
    printf("%s\n", name);
    return NULL;
}

int main(int argc, char **argv) {
    return add(find(argv[argc - 1]));
}
