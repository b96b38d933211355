package ucx

import (
	"fmt"
	"sync"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
)

// Worker is one end of everything: see the package. Open makes it, Close ends it.
type Worker struct {
	lib     *library
	config  Config
	address []byte

	mu       sync.Mutex // whoever has it may call the library about this Worker
	context  uintptr
	worker   uintptr
	events   int // the descriptor that can be read when there is something to do
	chunks   pool
	cells    pool
	line     dl.Line           // of whoever has the lock
	cell     *cell             // operands of an atomic that is started
	plain    *ucx.RequestParam // of operations without wishes
	atomic   *ucx.RequestParam // filled for each
	closing  *ucx.RequestParam // of endpoints
	info     *ucx.TagRecvInfo
	errors   int32 // how errors of endpoints are dealt with
	memories []*Memory
	peers    []*Peer
	identity uint64 // of the address, which says in messages who sends them
	said     time.Time
	ordered  bool // what goes to one peer stays in order

	closed bool
	left   bool          // an endpoint was left as it was, and all that it needs has to stay
	inside int           // calls that wait, which have to leave before Close can go on
	ended  chan struct{} // closed when the goroutine of this Worker has ended

	turns    uint64 // how often somebody else than that goroutine made progress
	asleep   int    // how many sleep on events
	handle   func(message []byte)
	handling bool
	message  []byte

	soft     bool             // what is for others' memory is asked for by messages of our own
	senders  map[uint64]*Peer // by their identities
	replies  pool             // where what atomics fetch comes in
	landings pool             // where what is got for Go memory comes in
	leaving  []piece          // messages on their way
	comings  []coming
	earlies  []early
	obeying  bool
}

// Open loads the library and makes a Worker. It sets UCX_ERROR_SIGNALS to nothing first,
// unless the user has set it: UCX would take SIGSEGV from Go. The process ignores SIGABRT
// from then on, of which it dies nevertheless where C aborts. It does not wait for others.
func Open(c Config) (*Worker, error) {
	lib, err := load(abi.UCX())
	if err != nil {
		return nil, err
	}
	w := &Worker{
		lib: lib, config: c, line: dl.NewLine(), chunks: pool{size: chunkSize + cellSize}, cells: pool{size: cellSize}, ended: make(chan struct{}),
		soft: c.soft(), senders: map[uint64]*Peer{}, replies: pool{size: cellSize}, landings: pool{size: chunkSize},
	}
	if err := w.start(); err != nil {
		w.release()
		return nil, err
	}
	quietAborts()
	go w.serve()
	return w, nil
}

// start makes all that the library keeps for a Worker.
func (w *Worker) start() error {
	if err := w.init(); err != nil {
		return err
	}
	if err := w.create(); err != nil {
		return err
	}
	w.blocks()
	w.ordered = w.config.single()
	return w.learnAddress()
}

// init makes the context.
func (w *Worker) init() error {
	s := dl.Borrow()
	defer s.Return()
	config, err := w.settle(s)
	if err != nil {
		return err
	}
	defer dl.Call(w.lib.configRelease, config)
	p := dl.In(s, ucx.Params{
		FieldMask:       ucx.UCP_PARAM_FIELD_FEATURES | ucx.UCP_PARAM_FIELD_ESTIMATED_NUM_EPS,
		Features:        ucx.UCP_FEATURE_TAG | ucx.UCP_FEATURE_RMA | ucx.UCP_FEATURE_AMO32 | ucx.UCP_FEATURE_AMO64 | ucx.UCP_FEATURE_WAKEUP,
		EstimatedNumEPs: uint64(max(w.config.Peers, 1)),
	})
	context := dl.Out[uintptr](s)
	if st := status(dl.Call(w.lib.init, apiMajor, apiMinor, dl.Addr(p), config, dl.Addr(context))); st != ucx.UCS_OK {
		return w.lib.refused("initialise"+w.config.text(), st)
	}
	w.context = *context
	return nil
}

// create makes the library's worker. One thread at a time is in it, which we see to with a
// lock of our own: that costs less than UCX's.
func (w *Worker) create() error {
	s := dl.Borrow()
	defer s.Return()
	p := dl.In(s, ucx.WorkerParams{
		FieldMask:  ucx.UCP_WORKER_PARAM_FIELD_THREAD_MODE | ucx.UCP_WORKER_PARAM_FIELD_FLAGS,
		ThreadMode: ucx.UCS_THREAD_MODE_SERIALIZED,
		Flags:      ucx.UCP_WORKER_FLAG_IGNORE_REQUEST_LEAK,
	})
	worker := dl.Out[uintptr](s)
	if st := status(dl.Call(w.lib.workerCreate, w.context, dl.Addr(p), dl.Addr(worker))); st != ucx.UCS_OK {
		return fmt.Errorf("%w%s", w.lib.refused("create a worker"+w.config.text(), st), w.config.room("/dev/shm"))
	}
	w.worker = *worker
	fd := dl.Out[int32](s)
	if st := status(dl.Call(w.lib.efd, w.worker, dl.Addr(fd))); st != ucx.UCS_OK {
		return w.lib.refused("get the descriptor of events"+w.config.text(), st)
	}
	w.events = int(*fd)
	return nil
}

// learnAddress copies the address out of the library.
func (w *Worker) learnAddress() error {
	s := dl.Borrow()
	defer s.Return()
	address, length := dl.Out[uintptr](s), dl.Out[uintptr](s)
	if st := status(dl.Call(w.lib.getAddress, w.worker, dl.Addr(address), dl.Addr(length))); st != ucx.UCS_OK {
		return w.lib.refused("get the address", st)
	}
	w.address = seal(addressMark, withVersion(w.lib.version, dl.Memory(*address, int(*length))))
	w.identity = identity(w.address)
	dl.Call(w.lib.freeAddress, w.worker, *address)
	return nil
}

// blocks makes the argument blocks that all operations share.
func (w *Worker) blocks() {
	w.cell = (*cell)(w.cells.take())
	block := w.chunks.take()
	w.plain = (*ucx.RequestParam)(block)
	w.plain.OpAttrMask, w.plain.MemoryType = ucx.UCP_OP_ATTR_FIELD_MEMORY_TYPE, ucx.UCS_MEMORY_TYPE_HOST
	w.atomic = (*ucx.RequestParam)(unsafe.Add(block, 1024))
	w.info = (*ucx.TagRecvInfo)(unsafe.Add(block, 2048))
	w.closing = (*ucx.RequestParam)(unsafe.Add(block, 3072))
	if w.config.together() {
		return // such endpoints cannot be closed by force either
	}
	w.errors = ucx.UCP_ERR_HANDLING_MODE_PEER
	w.closing.OpAttrMask, w.closing.Flags = ucx.UCP_OP_ATTR_FIELD_FLAGS, ucx.UCP_EP_CLOSE_FLAG_FORCE
}

// Address is what others Connect to. It can be sent to them as it is.
func (w *Worker) Address() []byte { return w.address }
