/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a policy for slurmctld imports (policy_guard.h): read from the section headers of
 * its file, before any of its code runs. A policy that makes system calls by itself is
 * not recognized.
 */
#include "config/policy_guard.h"

#include <errno.h>
#include <link.h>
#include <string.h>

#include "config/file.h"
#include "torus/alloc.h"

#define IMPORTS_FILE_MOST ((size_t)64 << 20)

static const char *const imports_refused[] = {
	/* the end of the process, or of the thread */
	"exit", "_exit", "_Exit", "quick_exit", "abort", "__assert",
	"__assert_fail", "__assert_perror_fail", "pthread_exit",
	"pthread_cancel", "thrd_exit", "err", "errx", "verr", "verrx", "error",
	"error_at_line", "__cxa_throw",
	/* the same in Slurm's library */
	"fatal", "fatal_abort", "slurm_fatal", "slurm_fatal_abort",
	/* another program, process or thread */
	"fork", "_Fork", "vfork", "clone", "execl", "execle", "execlp", "execv",
	"execve", "execveat", "execvp", "execvpe", "fexecve", "posix_spawn",
	"posix_spawnp", "system", "popen", "daemon", "pthread_create",
	"thrd_create", "dlopen", "dlmopen", "syscall",
	/* signals, and ways around the guard */
	"raise", "kill", "killpg", "tgkill", "pthread_kill", "sigqueue",
	"signal", "sigset", "sigaction", "sigprocmask", "pthread_sigmask",
	"sigaltstack", "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk",
	"setcontext", "swapcontext"
};

static const char *const imports_libraries[] = { "libc.so.", "libm.so.",
						 "libgcc_s.so.", "ld-linux" };

struct imports_file {
	const char *bytes;
	size_t length;
};

/* Return `count` records of `size` bytes from `offset` on, or NULL. */
static const void *imports_at(const struct imports_file *f, uint64_t offset,
			      uint64_t count, size_t size)
{
	if (offset > f->length || offset % 8 ||
	    count > (f->length - offset) / size)
		return NULL;
	return f->bytes + offset;
}

/* Return the text at an offset of the strings of a section, or "". */
static const char *imports_text(const struct imports_file *f,
				const ElfW(Shdr) * strings, uint64_t offset)
{
	uint64_t at = strings->sh_offset + offset;

	return offset < strings->sh_size && at >= offset && at < f->length ?
		       f->bytes + at : /* a NUL follows the file */
		       "";
}

static bool imports_library(const char *name)
{
	for (size_t i = 0; i < sizeof(imports_libraries) / sizeof(char *); i++) {
		if (!strncmp(name, imports_libraries[i],
			     strlen(imports_libraries[i])))
			return true;
	}
	return false;
}

static int imports_check_symbols(const struct imports_file *f,
				 const ElfW(Shdr) * section,
				 const ElfW(Shdr) * strings, const char *path,
				 struct torus_error *err)
{
	uint64_t count = section->sh_size / sizeof(ElfW(Sym));
	const ElfW(Sym) *s = imports_at(f, section->sh_offset, count,
					sizeof(*s));

	for (uint64_t i = 0; s && i < count; i++) {
		const char *name = imports_text(f, strings, s[i].st_name);

		for (size_t k = 0; s[i].st_shndx == SHN_UNDEF &&
				   k < sizeof(imports_refused) / sizeof(char *);
		     k++) {
			if (!strcmp(name, imports_refused[k]))
				return torus_error_add(err,
						       "%s: it calls %s(): a policy in slurmctld must not end or copy the process, start threads or change signals",
						       path, name);
		}
	}
	return 0;
}

static int imports_check_libraries(const struct imports_file *f,
				   const ElfW(Shdr) * section,
				   const ElfW(Shdr) * strings, const char *path,
				   struct torus_error *err)
{
	uint64_t count = section->sh_size / sizeof(ElfW(Dyn));
	const ElfW(Dyn) *d = imports_at(f, section->sh_offset, count,
					sizeof(*d));

	for (uint64_t i = 0; d && i < count && d[i].d_tag != DT_NULL; i++) {
		const char *name = d[i].d_tag == DT_NEEDED ?
					   imports_text(f, strings,
							d[i].d_un.d_val) :
					   NULL;

		if (name && !imports_library(name))
			return torus_error_add(err,
					       "%s: it needs %s: a policy in slurmctld uses the libraries of C alone, libc and libm",
					       path, name);
	}
	return 0;
}

static int imports_check(const struct imports_file *f, const char *path,
			 struct torus_error *err)
{
	const ElfW(Ehdr) *head = imports_at(f, 0, 1, sizeof(*head));
	const ElfW(Shdr) *section = NULL;
	bool found = false;

	if (head && !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
	    head->e_shentsize == sizeof(*section))
		section = imports_at(f, head->e_shoff, head->e_shnum,
				     sizeof(*section));
	for (uint32_t i = 0; section && i < head->e_shnum; i++) {
		const ElfW(Shdr) * strings;

		if ((section[i].sh_type != SHT_DYNSYM &&
		     section[i].sh_type != SHT_DYNAMIC) ||
		    section[i].sh_link >= head->e_shnum)
			continue;
		strings = &section[section[i].sh_link];
		found |= section[i].sh_type == SHT_DYNSYM;
		if (section[i].sh_type == SHT_DYNSYM ?
			    imports_check_symbols(f, &section[i], strings, path,
						  err) :
			    imports_check_libraries(f, &section[i], strings,
						    path, err))
			return -1;
	}
	return found ? 0 :
		       torus_error_add(err,
				       "%s: expected a shared object with section headers, which say what it calls",
				       path);
}

int torus_policy_check_imports(const char *path, struct torus_error *err)
{
	struct imports_file f = { 0 };
	char *bytes = torus_file_read(path, IMPORTS_FILE_MOST, &f.length);
	int rc;

	if (!bytes)
		return torus_error_add(err, "%s: %s", path, strerror(errno));
	f.bytes = bytes;
	rc = imports_check(&f, path, err);
	torus_free(bytes);
	return rc;
}
