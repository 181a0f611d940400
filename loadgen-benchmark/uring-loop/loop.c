// The bare io_uring loop: what ../epoll-loop does, with the kernel's other door. One io_uring_enter per turn sends all requests that have
// become due and fetches all answers that have arrived; a connection has one standing multishot receive, and each request is one send.
// Needs Linux 6.1 and no library.
//
//	gcc -O2 -o loop loop.c && ./loop 127.0.0.1 5099 CONNECTIONS SECONDS
#include <arpa/inet.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { buffers = 256, room = 2048 }; // for what arrives in one turn; listen_to says what happens when they are too few

static const char request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

static int ring;
static unsigned *sq_tail, sq_mask, sq_sent, sq_filled, *cq_head, *cq_tail, cq_mask;
static struct io_uring_sqe *sqes;
static struct io_uring_cqe *cqes;
static struct io_uring_buf_ring *free_buffers;
static unsigned short given;
static char in[buffers][room];

static void die(const char *what) { perror(what); exit(1); }

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int registered(int what, void *arg, int n) { return syscall(SYS_io_uring_register, ring, what, arg, n); }

static void *mapped(size_t size, off_t what) {
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, what);
	return p == MAP_FAILED ? die("mmap"), NULL : p;
}

// turn hands over what was filled in since the last turn, and waits for want completions, 100 ms at most.
static void turn(unsigned want) {
	struct { long long s, ns; } wait = {.ns = 100000000};
	struct io_uring_getevents_arg arg = {.ts = (unsigned long)&wait};
	unsigned n = sq_filled - sq_sent;
	__atomic_store_n(sq_tail, sq_filled, __ATOMIC_RELEASE);
	int k = syscall(SYS_io_uring_enter, ring, n, want, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG | IORING_ENTER_REGISTERED_RING, &arg, sizeof arg);
	if (k < 0 ? errno != ETIME : (unsigned)k != n) die("io_uring_enter");
	sq_sent = sq_filled; // ETIME comes only if there was nothing to hand over
}

static struct io_uring_sqe *next(int op, int conn) {
	struct io_uring_sqe *s = &sqes[sq_filled++ & sq_mask];
	*s = (struct io_uring_sqe){.opcode = op, .flags = IOSQE_FIXED_FILE, .fd = conn, .user_data = conn};
	return s;
}

// ask's success is not reported: the answer says it.
static void ask(int conn) {
	struct io_uring_sqe *s = next(IORING_OP_SEND, conn);
	s->flags |= IOSQE_CQE_SKIP_SUCCESS;
	s->addr = (unsigned long)request, s->len = sizeof request - 1, s->msg_flags = MSG_NOSIGNAL | MSG_WAITALL;
}

// listen_to stands until an answer comes without IORING_CQE_F_MORE: when there was no buffer, or the completion queue was full.
static void listen_to(int conn) {
	struct io_uring_sqe *s = next(IORING_OP_RECV, conn);
	s->flags |= IOSQE_BUFFER_SELECT;
	s->ioprio = IORING_RECV_MULTISHOT;
}

static void give(int buffer) {
	struct io_uring_buf *b = &free_buffers->bufs[given++ % buffers];
	b->addr = (unsigned long)in[buffer], b->len = room, b->bid = buffer; // not the whole struct: the ring's tail lies in the first one
}

static void open_ring(int *fds, int conns) {
	struct io_uring_params p = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN};
	if ((ring = syscall(SYS_io_uring_setup, 2 * conns, &p)) < 0) die("io_uring_setup"); // a send and a receive per connection at most
	size_t sq = p.sq_off.array + p.sq_entries * sizeof(unsigned), cq = p.cq_off.cqes + p.cq_entries * sizeof *cqes;
	char *m = mapped(sq > cq ? sq : cq, IORING_OFF_SQ_RING);
	sqes = mapped(p.sq_entries * sizeof *sqes, IORING_OFF_SQES);
	sq_tail = (void *)(m + p.sq_off.tail), sq_mask = p.sq_entries - 1;
	cq_head = (void *)(m + p.cq_off.head), cq_tail = (void *)(m + p.cq_off.tail), cq_mask = p.cq_entries - 1, cqes = (void *)(m + p.cq_off.cqes);
	for (unsigned i = 0; i < p.sq_entries; i++) ((unsigned *)(m + p.sq_off.array))[i] = i;
	free_buffers = mmap(NULL, buffers * sizeof(struct io_uring_buf), PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
	if (free_buffers == MAP_FAILED) die("mmap");
	struct io_uring_buf_reg reg = {.ring_addr = (unsigned long)free_buffers, .ring_entries = buffers};
	if (registered(IORING_REGISTER_FILES, fds, conns) || registered(IORING_REGISTER_PBUF_RING, &reg, 1)) die("io_uring_register");
	for (int i = 0; i < buffers; i++) give(i);
	__atomic_store_n(&free_buffers->tail, given, __ATOMIC_RELEASE);
	struct io_uring_rsrc_update self = {.offset = -1u, .data = ring};
	if (registered(IORING_REGISTER_RING_FDS, &self, 1) != 1) die("io_uring_register");
	ring = self.offset; // saves the look-up of the descriptor in every turn
}

int main(int argc, char **argv) {
	if (argc != 5) return fprintf(stderr, "usage: loop ADDRESS PORT CONNECTIONS SECONDS\n"), 2;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[2]))};
	int conns = atoi(argv[3]), one = 1, *fds = calloc(conns, sizeof *fds), *got = calloc(conns, sizeof *got); // got of the answer under way
	if (inet_pton(AF_INET, argv[1], &to.sin_addr) != 1 || !fds || !got) die("set up");
	for (int i = 0; i < conns; i++) {
		if ((fds[i] = socket(AF_INET, SOCK_STREAM, 0)) < 0 || connect(fds[i], (struct sockaddr *)&to, sizeof to)) die("connect");
		setsockopt(fds[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	}
	if (send(fds[0], request, sizeof request - 1, MSG_NOSIGNAL) != sizeof request - 1) die("send");
	ssize_t length = recv(fds[0], in, sizeof in, 0);
	if (length <= 0) die("first answer");
	open_ring(fds, conns);
	for (int i = 0; i < conns; i++) listen_to(i);
	turn(0);
	long done = 0;
	double start = now(), end = start + atof(argv[4]), t = start;
	for (int i = 0; i < conns; i++) ask(i);
	while ((t = now()) < end) {
		turn(1);
		unsigned head = *cq_head, tail = __atomic_load_n(cq_tail, __ATOMIC_ACQUIRE);
		for (; head != tail; head++) {
			struct io_uring_cqe c = cqes[head & cq_mask];
			int conn = c.user_data;
			if (c.res == 0) return fprintf(stderr, "the server closed a connection\n"), 1;
			if (c.res < 0 && c.res != -ENOBUFS) return errno = -c.res, die("send or receive"), 1;
			if (c.flags & IORING_CQE_F_BUFFER) give(c.flags >> IORING_CQE_BUFFER_SHIFT);
			if (!(c.flags & IORING_CQE_F_MORE)) listen_to(conn);
			if (c.res < 0 || (got[conn] += c.res) < length) continue;
			got[conn] = 0;
			done++;
			ask(conn);
		}
		__atomic_store_n(cq_head, head, __ATOMIC_RELEASE);
		__atomic_store_n(&free_buffers->tail, given, __ATOMIC_RELEASE);
	}
	printf("%ld requests in %.6f s\n", done, t - start);
	return 0;
}
