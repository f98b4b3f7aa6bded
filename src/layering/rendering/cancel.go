package rendering

// checkpoint stops a rendering between two documents, when who asked for it is gone.
func (s *Site) checkpoint() error {
	if s.stop == nil {
		return nil
	}
	return s.stop()
}

// RenderUntil is Render that asks stop after each document whether to go on, and returns its error if not: the work of who
// does not wait any more ends. Called again, it begins again; several callers at the same time wait for each other.
func (s *Site) RenderUntil(stop func() error) (*Rendering, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.again != nil {
		return s.again.RenderUntil(stop)
	}
	if !s.done {
		s.stop = stop
		rendering, err := s.renderAll()
		s.stop = nil
		if s.stopped {
			documents := make([]*Document, len(s.nodes))
			for i, n := range s.nodes {
				documents[i] = n.Document
			}
			s.again = ResolveAfter(s, documents, s.options) // half of it is rendered
			s.known.Store(nil)
			return nil, err
		}
		s.rendering, s.err, s.done = rendering, err, true
		s.keep()
	}
	return s.rendering, s.err
}
