use std::fmt;

pub struct Item {
    pub name: String,
}

#[derive(Debug)]
pub enum Error {
    Empty,
}

pub trait Price {
    fn price(&self) -> u64;
}

impl Price for Item {
    fn price(&self) -> u64 {
        self.name.len() as u64
    }
}

impl<'a> Item {
    pub const fn new(name: String) -> Self {
        Item { name }
    }

    pub(crate) async fn save(&self) -> Result<(), Error> {
        Ok(())
    }
}

mod helpers {
    pub unsafe fn raw() {}
}

macro_rules! item {
    ($n:expr) => {
        Item::new($n)
    };
}

type Cents = u64;
