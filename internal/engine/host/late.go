package host

import "github.com/goshmem/goshmem/internal/engine"

// Is makes a later error at a gate known as one that is no news.
func (l *late) Is(target error) bool { return target == engine.ErrOutOfOrder }
