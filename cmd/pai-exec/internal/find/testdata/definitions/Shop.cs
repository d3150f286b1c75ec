using System;

namespace Shop
{
    public interface IPriced
    {
        int Price { get; }
    }

    public struct Point
    {
        public int X;
    }

    public class Cart : IPriced
    {
        public int Price { get; set; }

        public Cart(string owner)
        {
            Console.WriteLine(owner);
        }

        public async Task<int> PayAsync(string card) {
            if (card == null) {
                return 0;
            }
            return 1;
        }
    }

    public enum State
    {
        Open
    }
}
