module Shop
  class Item
    attr_reader :name

    def initialize(name)
      @name = name
    end

    def ==(other)
      other.name == name
    end

    def valid?
      !name.empty?
    end

    def self.parse(text)
      new(text.strip)
    end
  end

  class Cart < Array
    def add!(item)
      self << item if item.valid?
    end
  end
end
