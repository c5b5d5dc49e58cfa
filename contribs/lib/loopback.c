/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * loopback.c - keeps the daemons of a private cluster on the loopback device.
 *
 * Preloaded into them (LD_PRELOAD): a bind() to "any address" becomes a bind()
 * to the loopback address. Slurm has no setting for this; NoInAddrAny binds to
 * whatever the machine's name resolves to, which often is the outside address.
 * All other calls of bind() go through unchanged.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

typedef int bind_function(int, const struct sockaddr *, socklen_t);

/* The C library's own bind(). */
static bind_function *find_bind(void)
{
	bind_function *function = NULL;
	void *symbol = dlsym(RTLD_NEXT, "bind");

	memcpy(&function, &symbol, sizeof(function));
	return function;
}

int bind(int fd, const struct sockaddr *address, socklen_t length)
{
	bind_function *next = find_bind();
	struct sockaddr_in in4;
	struct sockaddr_in6 in6;

	if (!next) {
		errno = ENOSYS;
		return -1;
	}
	/* Slurm gives the length of a sockaddr_storage */
	if (address && address->sa_family == AF_INET && length >= sizeof(in4)) {
		memcpy(&in4, address, sizeof(in4));
		if (in4.sin_addr.s_addr == htonl(INADDR_ANY)) {
			in4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
			return next(fd, (const struct sockaddr *)&in4, length);
		}
	}
	if (address && address->sa_family == AF_INET6 && length >= sizeof(in6)) {
		memcpy(&in6, address, sizeof(in6));
		if (IN6_IS_ADDR_UNSPECIFIED(&in6.sin6_addr)) {
			in6.sin6_addr = in6addr_loopback;
			return next(fd, (const struct sockaddr *)&in6, length);
		}
	}
	return next(fd, address, length);
}
