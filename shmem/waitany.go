package shmem

import "context"

// The calls on several elements look at all elements of an array: Slice gives a part.
// except, if it is not nil, has a true for each element that does not count, where C
// has a status array of int. Where no element counts nobody waits. Signals can be
// awaited together if they are elements of one array, see SignalAt.

// WaitUntilAny waits until any element of this PE's own copy of a compares with v as
// cmp says, and returns its number; -1 at once if no element counts. Each search
// begins behind the element that was found last in this array, so that none is
// passed over for ever. An error has -1 and tells which elements have not come, and
// their values. Blocking, not collective. OpenSHMEM: shmem_wait_until_any, SIZE_MAX
// being our -1.
func WaitUntilAny[T Waitable](ctx context.Context, a Array[T], except []bool, cmp Cmp, v T) (int, error) {
	i, err := scalar(a, except, cmp, v).awaitAny(ctx)
	return i, fail(a.World(), "wait until any", noPeer, err)
}

// WaitUntilAll waits until every element of this PE's own copy of a that counts has
// compared with v as cmp says, one after the other: what has done so is not looked at
// again. It returns at once if no element counts. An error tells which elements have
// not come, and their values. Blocking, not collective. OpenSHMEM: shmem_wait_until_all.
func WaitUntilAll[T Waitable](ctx context.Context, a Array[T], except []bool, cmp Cmp, v T) error {
	return fail(a.World(), "wait until all", noPeer, scalar(a, except, cmp, v).awaitAll(ctx))
}

// WaitUntilSome waits until at least one element of this PE's own copy of a compares
// with v as cmp says, and appends to indices the numbers of all that do, in rising
// order; none, at once, if no element counts. An error tells which elements have not
// come, and their values. Blocking, not collective. OpenSHMEM: shmem_wait_until_some.
func WaitUntilSome[T Waitable](ctx context.Context, a Array[T], indices []int, except []bool, cmp Cmp, v T) ([]int, error) {
	indices, err := scalar(a, except, cmp, v).awaitSome(ctx, indices)
	return indices, fail(a.World(), "wait until some", noPeer, err)
}

// WaitUntilAnyVector is WaitUntilAny with a value for each element. Blocking, not
// collective. OpenSHMEM: shmem_wait_until_any_vector.
func WaitUntilAnyVector[T Waitable](ctx context.Context, a Array[T], except []bool, cmp Cmp, vs []T) (int, error) {
	i, err := vector(a, except, cmp, vs).awaitAny(ctx)
	return i, fail(a.World(), "wait until any vector", noPeer, err)
}

// WaitUntilAllVector is WaitUntilAll with a value for each element. Blocking, not
// collective. OpenSHMEM: shmem_wait_until_all_vector.
func WaitUntilAllVector[T Waitable](ctx context.Context, a Array[T], except []bool, cmp Cmp, vs []T) error {
	return fail(a.World(), "wait until all vector", noPeer, vector(a, except, cmp, vs).awaitAll(ctx))
}

// WaitUntilSomeVector is WaitUntilSome with a value for each element. Blocking, not
// collective. OpenSHMEM: shmem_wait_until_some_vector.
func WaitUntilSomeVector[T Waitable](ctx context.Context, a Array[T], indices []int, except []bool, cmp Cmp, vs []T) ([]int, error) {
	indices, err := vector(a, except, cmp, vs).awaitSome(ctx, indices)
	return indices, fail(a.World(), "wait until some vector", noPeer, err)
}

// TestAny returns the number of an element of this PE's own copy of a that compares
// with v as cmp says, -1 if none does or counts. It searches as WaitUntilAny does, and
// never waits. OpenSHMEM: shmem_test_any.
func TestAny[T Waitable](a Array[T], except []bool, cmp Cmp, v T) (int, error) {
	i, err := scalar(a, except, cmp, v).testAny()
	return i, fail(a.World(), "test any", noPeer, err)
}

// TestAll says whether every element of this PE's own copy of a that counts compares
// with v as cmp says, which is so if no element counts. It never waits. OpenSHMEM:
// shmem_test_all.
func TestAll[T Waitable](a Array[T], except []bool, cmp Cmp, v T) (bool, error) {
	ok, err := scalar(a, except, cmp, v).testAll()
	return ok, fail(a.World(), "test all", noPeer, err)
}

// TestSome appends to indices the numbers of all elements of this PE's own copy of a
// that compare with v as cmp says, in rising order. It never waits. OpenSHMEM:
// shmem_test_some.
func TestSome[T Waitable](a Array[T], indices []int, except []bool, cmp Cmp, v T) ([]int, error) {
	indices, err := scalar(a, except, cmp, v).testSome(indices)
	return indices, fail(a.World(), "test some", noPeer, err)
}

// TestAnyVector is TestAny with a value for each element. It never waits. OpenSHMEM:
// shmem_test_any_vector.
func TestAnyVector[T Waitable](a Array[T], except []bool, cmp Cmp, vs []T) (int, error) {
	i, err := vector(a, except, cmp, vs).testAny()
	return i, fail(a.World(), "test any vector", noPeer, err)
}

// TestAllVector is TestAll with a value for each element. It never waits. OpenSHMEM:
// shmem_test_all_vector.
func TestAllVector[T Waitable](a Array[T], except []bool, cmp Cmp, vs []T) (bool, error) {
	ok, err := vector(a, except, cmp, vs).testAll()
	return ok, fail(a.World(), "test all vector", noPeer, err)
}

// TestSomeVector is TestSome with a value for each element. It never waits. OpenSHMEM:
// shmem_test_some_vector.
func TestSomeVector[T Waitable](a Array[T], indices []int, except []bool, cmp Cmp, vs []T) ([]int, error) {
	indices, err := vector(a, except, cmp, vs).testSome(indices)
	return indices, fail(a.World(), "test some vector", noPeer, err)
}
