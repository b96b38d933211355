package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/goshmem/goshmem/internal/ncclperf"
	"github.com/goshmem/goshmem/internal/perf"
)

// providerOptions are the flags of a measurement of providers, besides those of all.
type providerOptions struct {
	pes           int
	largest, only string
	maps          string
}

// perfProviderCommand is `goshmem perf provider`.
func perfProviderCommand() *cobra.Command {
	var o providerOptions
	c := measurement(o.measure, 7, &cobra.Command{
		Use:   "provider",
		Short: "Measure kernels that load and store the memory of peers",
		Long: `Measure what kernels do with the memory of other PEs, through the tables of package
provider: the bandwidth between all pairs of PEs, put and get, by kernels and by copies of
the device; copies of growing size; dependent loads of 8 bytes, translated against the
peer's own pointer; one-shot and two-shot all-reduces against package nccl, with plain
memory and with a registered window; and what a table costs.

The PEs are processes under any launcher, of any engine, or goroutines (--pes 4):
goshmem run --no-prefix -n 2 goshmem perf provider
--save NAME writes NAME.json with all samples and NAME.md, a page for people.
On NVIDIA's GPUs set NCCL_NVLS_ENABLE=0: there is no multicast in our kernels.`,
	})
	f := c.Flags()
	f.IntVar(&o.pes, "pes", 0, "PEs that are goroutines of this process (0: those of the launcher)")
	f.StringVar(&o.largest, "largest", "", "largest copy, as 256M (unset: 256M, on platform host 4M)")
	f.StringVar(&o.only, "only", "", "measure rows whose name contains this")
	f.Lookup("save").Usage = "`NAME` of two files that also get the figures, NAME.json and NAME.md"
	f.StringVar(&o.maps, "maps", "", "`NAME.png` or .svg of pictures of the bandwidths between pairs: what they show is added to the name")
	return c
}

func (o *providerOptions) measure(ctx context.Context, base perf.Options) (perf.Record, error) {
	p := perf.ProviderOptions{Options: base, PEs: o.pes, Only: o.only}
	if o.largest != "" {
		n, err := ncclperf.ParseBytes(o.largest)
		if err == nil && (n < 1<<16 || n > 1<<40) {
			err = fmt.Errorf("copies of at most %d bytes: from 64K to 1024G", n)
		}
		if err != nil {
			return perf.Record{}, err
		}
		p.Largest = int(n)
	}
	r, err := perf.Provider(ctx, p)
	if err == nil && o.maps != "" {
		err = r.SaveMaps(o.maps)
	}
	return r, err
}
