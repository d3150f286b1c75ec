package turn

// Tokens is about how many tokens models make of so many bytes of text and
// programs. Tokenizers take three to five bytes a token; this counts three and
// a half, rather too many tokens than too few.
func Tokens(bytes int) int { return (2*bytes + 6) / 7 }

// ContextSent is how much of Document.Context is sent to a model at most, in characters: 4,000
// tokens.
const ContextSent = 16_000

// TokenBytes is about how many bytes so many tokens are: the inverse of Tokens.
func TokenBytes(tokens int) int { return tokens * 7 / 2 }
