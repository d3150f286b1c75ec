package turn

import "bytes"

// ReadInput reads what came on standard input: a document if the first byte
// that is not blank is '{', plain text otherwise, or with asText in any case.
// Text becomes the request of a new document. Nothing but blanks is an error.
func ReadInput(data []byte, asText bool) (*Document, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	trimmed := bytes.TrimSpace(data)
	switch {
	case len(data) > MaxBytes:
		return nil, Errorf(CodeUsage, "the input is larger than %d MB", MaxBytes>>20)
	case len(trimmed) == 0:
		return nil, Errorf(CodeUsage, "nothing on standard input")
	case trimmed[0] == '{' && !asText:
		d, err := Read(data)
		if e := AsError(err); e != nil && e.Hint == "" {
			e.WithHint("--text takes it as plain text")
		}
		return d, err
	default:
		return New(CleanText(trimmed)), nil
	}
}
