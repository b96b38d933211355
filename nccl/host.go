package nccl

import (
	"context"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/ccl/host"
	"github.com/goshmem/goshmem/launch"
)

// openHost opens the host library. Its ranks find each other as those of a job do.
func openHost() (ccl.Library, error) {
	timeout, err := Options{}.timeout()
	if err != nil {
		return nil, err
	}
	return host.New(meetAt, timeout)
}

func meetAt(ctx context.Context, p host.Place) (host.Exchange, error) {
	return launch.Join(ctx, launch.Job{Rank: p.Rank, Size: p.Size, LocalRank: -1, LocalSize: -1, Rendezvous: p.Address, Token: p.Token, Name: p.Name})
}
