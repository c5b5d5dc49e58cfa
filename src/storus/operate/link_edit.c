/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Editing links files (link_edit.h). */
#include "storus/operate/link_edit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/file.h"
#include "config/link_file.h"
#include "torus/alloc.h"

bool link_file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static int link_edit_wrong(const char *path, struct torus_error *err)
{
	return torus_error_add(err, "%s: %s", path, strerror(errno));
}

/* Lock the file that has the name now: another edit may have replaced the one
 * that was opened. -1 with errno. */
static int link_edit_lock(const char *path)
{
	for (;;) {
		int fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
		struct stat mine, now;

		if (fd < 0)
			return -1;
		errno = 0;
		if (flock(fd, LOCK_EX) == 0 && fstat(fd, &mine) == 0 &&
		    stat(path, &now) == 0 && mine.st_ino == now.st_ino &&
		    mine.st_dev == now.st_dev)
			return fd;
		close(fd);
		if (errno != 0 && errno != ENOENT && errno != EINTR)
			return -1;
	}
}

/* Write the text to a file beside it, with the old one's owner and mode. */
static int link_edit_write(int like, const char *path,
			   const struct torus_text *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct stat st;
	int rc = fd < 0 ? -1 : 0;

	for (size_t at = 0; rc == 0 && at < text->length;) {
		ssize_t n = write(fd, text->data + at, text->length - at);

		if (n < 0 && errno != EINTR)
			rc = -1;
		at += n > 0 ? (size_t)n : 0;
	}
	if (rc == 0 && (fstat(like, &st) || fchmod(fd, st.st_mode & 07777)))
		rc = -1;
	if (rc == 0 && fchown(fd, st.st_uid, st.st_gid) && errno != EPERM)
		rc = -1;
	if (rc == 0)
		rc = fsync(fd);
	if (fd >= 0 && close(fd))
		rc = -1;
	return rc;
}

static int link_edit_replace(int like, const char *path,
			     const struct torus_text *text,
			     struct torus_error *err)
{
	struct torus_text beside = { 0 };
	int rc = torus_text_add(&beside, "%s.new", path);

	if (rc == 0) {
		unlink(beside.data); /* of an edit that was killed */
		rc = link_edit_write(like, beside.data, text) ||
				     rename(beside.data, path) ?
			     link_edit_wrong(beside.data, err) :
			     0;
		if (rc)
			unlink(beside.data);
	}
	torus_text_free(&beside);
	return rc;
}

/* The file is locked. */
static int link_edit_locked(const struct torus_machine *m, int fd,
			    const char *path, const struct torus_link *link,
			    struct torus_error *err)
{
	struct torus_link_list list = { 0 };
	struct torus_text edited = { 0 };
	size_t length;
	char *text = torus_file_text(path, &length, err);
	int rc = text ? 0 : -1;

	if (rc == 0)
		rc = torus_link_file_parse(m, path, text, length, &list, err);
	if (rc == 0)
		rc = torus_link_file_edit(m, text, length, link, &edited);
	if (rc == 0 &&
	    (edited.length != length || memcmp(edited.data, text, length) != 0))
		rc = link_edit_replace(fd, path, &edited, err);
	if (rc && err->count == 0)
		torus_error_add(err, "out of memory");
	torus_link_list_free(&list);
	torus_text_free(&edited);
	torus_free(text);
	return rc;
}

int link_edit_file(const struct torus_machine *m, const char *path,
		   const struct torus_link *link, struct torus_error *err)
{
	/* a symbolic link stays one: what it names is replaced */
	char *real = realpath(path, NULL);
	const char *name = real ? real : path;
	int fd = link_edit_lock(name), rc = -1;

	if (fd < 0)
		link_edit_wrong(path, err);
	else
		rc = link_edit_locked(m, fd, name, link, err);
	if (fd >= 0)
		close(fd);
	free(real);
	return rc;
}
