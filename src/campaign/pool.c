/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker processes (campaign.h). A worker is forked once, reads cell numbers from a
 * socket and answers each with one packet. The next cell goes to any free
 * worker, so all cores are busy until the last cells.
 *
 * A worker ends when its socket is closed. If the parent is killed, the kernel
 * ends the workers too.
 */
#include "campaign/campaign.h"
#include "config/policy_watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PACKET 65536
#define TICK_MS 100
#define IDLE UINT32_MAX

/* Header of a worker's answer; the text follows. */
struct pool_answer {
	uint32_t cell;
	uint32_t good;
};

struct worker {
	pid_t pid; /* process id; 0: none */
	int fd;
	uint32_t cell;
};

struct pool {
	const struct torus_campaign *c;
	const uint32_t *cells;
	uint32_t n, next, busy;
	unsigned workers;
	struct worker *worker;
	struct pollfd *poll;
	const struct torus_pool_hooks *hooks;
	char *packet;
};

static void pool_compute(const struct torus_campaign *c, int fd, uint32_t i)
{
	struct torus_cell cell = torus_campaign_cell(c, i);
	struct pool_answer answer = { .cell = i };
	struct torus_error err = { 0 };
	char *json = NULL;
	struct iovec part[2] = { { &answer, sizeof(answer) } };
	struct msghdr message = { .msg_iov = part, .msg_iovlen = 2 };

	answer.good = torus_cell_run(c, &cell, &json, &err) == 0;
	part[1].iov_base = json ? json : err.text;
	part[1].iov_len = strlen(part[1].iov_base);
	if (sendmsg(fd, &message, MSG_NOSIGNAL) < 0)
		_exit(torus_watch_done(1));
	free(json);
}

/* Main loop of a worker. */
__attribute__((noreturn)) static void pool_work(const struct torus_campaign *c,
						int fd, pid_t parent)
{
	uint32_t cell;

	signal(SIGINT, SIG_IGN); /* the parent decides */
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	torus_watch_process();
	while (recv(fd, &cell, sizeof(cell), 0) == sizeof(cell))
		pool_compute(c, fd, cell);
	_exit(torus_watch_done(0));
}

static int worker_start(struct pool *p, unsigned w, struct torus_error *err)
{
	pid_t parent = getpid();
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return torus_error_add(err, "no socket for a worker: %s",
				       strerror(errno));
	p->worker[w].pid = fork();
	if (p->worker[w].pid == 0) {
		for (unsigned i = 0; i < p->workers; i++)
			if (p->worker[i].pid && i != w)
				close(p->worker[i].fd);
		close(pair[0]);
		pool_work(p->c, pair[1], parent);
	}
	close(pair[1]);
	if (p->worker[w].pid < 0) {
		close(pair[0]);
		p->worker[w].pid = 0;
		return torus_error_add(err, "no process for a worker: %s",
				       strerror(errno));
	}
	p->worker[w].fd = pair[0];
	p->worker[w].cell = IDLE;
	return 0;
}

/* Send the next cell to the worker, if there is one. */
static int worker_feed(struct pool *p, unsigned w, struct torus_error *err)
{
	struct worker *k = &p->worker[w];

	if (p->next == p->n)
		return 0;
	if (!k->pid && worker_start(p, w, err))
		return -1;
	k->cell = p->cells[p->next++];
	p->busy++;
	/* a dead worker shows as end of file */
	send(k->fd, &k->cell, sizeof(k->cell), MSG_NOSIGNAL);
	return 0;
}

/* Read a packet, or the worker's end. */
static int worker_hear(struct pool *p, unsigned w)
{
	struct worker *k = &p->worker[w];
	ssize_t n = recv(k->fd, p->packet, PACKET - 1, 0);
	uint32_t cell = k->cell;
	struct pool_answer answer;
	char why[128];
	int status;

	if (n < 0 && errno == EINTR)
		return 0;
	p->busy--;
	k->cell = IDLE;
	if (n >= (ssize_t)sizeof(answer)) {
		memcpy(&answer, p->packet, sizeof(answer));
		p->packet[n] = '\0';
		return p->hooks->done(p->hooks->arg, cell,
				      answer.good ? p->packet + sizeof(answer) :
						    NULL,
				      p->packet + sizeof(answer));
	}
	close(k->fd);
	if (waitpid(k->pid, &status, 0) != k->pid)
		status = 0;
	k->pid = 0;
	if (WIFSIGNALED(status))
		snprintf(why, sizeof(why),
			 "its worker was ended by signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(why, sizeof(why), "its worker ended with status %d",
			 WEXITSTATUS(status));
	return p->hooks->done(p->hooks->arg, cell, NULL, why);
}

/* Wait for answers; return 1 to stop. */
static int listen_once(struct pool *p)
{
	int rc = 0;

	for (unsigned w = 0; w < p->workers; w++)
		p->poll[w] = (struct pollfd){
			.fd = p->worker[w].pid && p->worker[w].cell != IDLE ?
				      p->worker[w].fd :
				      -1,
			.events = POLLIN,
		};
	if (poll(p->poll, p->workers, TICK_MS) > 0) {
		for (unsigned w = 0; w < p->workers && !rc; w++)
			if (p->poll[w].revents)
				rc = worker_hear(p, w);
	}
	return rc || !p->hooks->tick(p->hooks->arg);
}

static int pool_loop(struct pool *p, struct torus_error *err)
{
	do {
		for (unsigned w = 0; w < p->workers; w++)
			if ((!p->worker[w].pid || p->worker[w].cell == IDLE) &&
			    worker_feed(p, w, err))
				return -1;
		if (p->busy && listen_once(p))
			return 1;
	} while (p->busy || p->next < p->n);
	return 0;
}

static void pool_end(struct pool *p)
{
	for (unsigned w = 0; p->worker && w < p->workers; w++) {
		struct worker *k = &p->worker[w];

		if (!k->pid)
			continue;
		close(k->fd);
		if (k->cell != IDLE)
			kill(k->pid, SIGKILL);
		while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(p->worker);
	free(p->poll);
	free(p->packet);
}

int torus_pool_run(struct torus_campaign *c, const uint32_t *cells, uint32_t n,
		   unsigned workers, const struct torus_pool_hooks *hooks,
		   struct torus_error *err)
{
	struct pool p = {
		.c = c,
		.cells = cells,
		.n = n,
		.hooks = hooks,
		.workers = workers < n ? workers : n,
	};
	int rc = -1;

	if (n == 0)
		return 0;
	torus_campaign_load(c, cells, n);
	p.worker = calloc(p.workers, sizeof(*p.worker));
	p.poll = calloc(p.workers, sizeof(*p.poll));
	p.packet = malloc(PACKET);
	if (p.worker && p.poll && p.packet)
		rc = pool_loop(&p, err);
	else
		torus_error_add(err, "out of memory");
	pool_end(&p);
	return rc;
}
