def main():
    print("halo"


main()
