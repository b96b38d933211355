// Package launch answers two questions of a process that belongs to a job: who
// am I, and how do the processes of the job meet. [Detect] reads the first from
// the environment that the launcher left, [Join] does the second.
//
// # Who am I
//
// Launchers nest: a batch system starts mpirun, which starts the processes. Each
// leaves its variables behind, and the innermost one started this process. The
// families are tried from the one that is innermost in practice to the one that
// is outermost; the first that is seen decides, the others are only reported in
// [Job].Outer.
//
//	family      rank, size                            local rank, local size
//	goshmem     GOSHMEM_RANK, GOSHMEM_SIZE            GOSHMEM_LOCAL_RANK, GOSHMEM_LOCAL_SIZE
//	torchrun    RANK, WORLD_SIZE                      LOCAL_RANK, LOCAL_WORLD_SIZE
//	openmpi     OMPI_COMM_WORLD_RANK, ..._SIZE        OMPI_COMM_WORLD_LOCAL_RANK, ..._LOCAL_SIZE
//	mpich       PMI_RANK, PMI_SIZE                    MPI_LOCALRANKID, MPI_LOCALNRANKS
//	pmix        PMIX_RANK, GOSHMEM_SIZE               -
//	slurm       SLURM_PROCID, SLURM_STEP_NUM_TASKS    SLURM_LOCALID, SLURM_STEP_TASKS_PER_NODE
//	kubernetes  JOB_COMPLETION_INDEX, GOSHMEM_SIZE    -
//	none        one process: rank 0 of 1
//
// A family of which only a part is set is an error, not a guess. GOSHMEM_SIZE
// without GOSHMEM_RANK says how many processes are expected: a launcher that
// started another number is an error. GOSHMEM_RANK=0 with GOSHMEM_SIZE=1 makes
// any process a job of its own.
//
// # Where to meet
//
// GOSHMEM_RDZV says it: "unix:@name", an abstract socket of this machine (Linux;
// nothing to clean up), "tcp:host:port", or "tcp:host:port+n", the first free of
// the n ports after port, then port itself. Without it:
//
//	torchrun       tcp:MASTER_ADDR:MASTER_PORT+16, since its own store holds
//	               MASTER_PORT (ROCSHMEM_MASTER_ADDR and _PORT stand in)
//	openmpi, pmix  one machine: a name made of user and PMIX_NAMESPACE
//	mpich          one machine: a name made of user and the process manager
//	slurm          one machine: a name made of user, job and step
//	others, and several machines: GOSHMEM_RDZV is needed
//
// docs/nodes.md has commands for several machines. Our launcher, which runs once on each of
// them, sets GOSHMEM_RDZV=tcp:host:port+16 and, beside the variables above, GOSHMEM_NODE_RANK
// and GOSHMEM_NODES (see [Muster]); torchrun and Slurm say the same in GROUP_RANK and
// SLURM_NODEID.
//
// # Who has ended
//
// A rank that ends before it has joined would leave the others waiting until their
// time is over. Our launcher tells those that wait in [Join] which ranks have ended
// (see [Obituaries]), at the name of the rendezvous with ".ended" behind it, or at one made
// of the tcp rendezvous, the token and the number of the machine; their error names that rank. Others cannot tell, and nobody tells the members of a group
// (see [Job.Group]), whose ranks the launcher does not know: there the time limit
// counts.
//
// # Versions
//
// The first thing that a server says is which version of all this it speaks. Processes
// that were built from releases that do not understand each other get [ErrVersion], which
// says who has which.
//
// # Security
//
// Before anything else is said at the rendezvous, both sides prove that they hold the
// same token and mean the same job: each sends a random nonce and an HMAC-SHA256 under the
// token; the token itself never travels. GOSHMEM_TOKEN is that secret. Without
// GOSHMEM_TOKEN the handshake only tells jobs apart and keeps nobody out. On
// unix sockets the peer must also run as the same user. That is all that is asked of
// who tells of the ended: another process of this user could make Join fail, or wait
// until its time is over, but let nobody in. The handshake guards
// membership; what follows is neither encrypted nor signed, so whoever can
// change the traffic of the network can change it.
package launch
