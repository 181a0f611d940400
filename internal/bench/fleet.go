package bench

// Fleet is a Host with several machines, any of which may be lost.
type Fleet interface {
	Host
	// Lost says which machine was lost, and why; nil: none. After a loss all calls fail with it.
	Lost() error
}

// lost says which machine was lost; nil: none. No contestant is to blame for what failed then: the run is
// interrupted.
func (b *Bench) lost() error {
	if f, ok := b.Host.(Fleet); ok {
		return f.Lost()
	}
	return nil
}
