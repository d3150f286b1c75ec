from calculator import add, divide

print(add(1, 2))
print(divide(9, 3))
