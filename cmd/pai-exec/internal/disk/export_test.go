package disk

// WithoutOpenat2 has a root resolve paths as on a kernel that lacks the call.
func (r *Root) WithoutOpenat2() { r.walk = true }
