package ratelimit

// Known is how many users are distinguished now.
func (q *Limiter) Known() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.users)
}
