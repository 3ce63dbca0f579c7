"""What a worker may not ask of the kernel: the system calls, and the arguments of those it may make.

Allowed is what is not named, up to the newest call known here; what comes later does not exist.  A test holds that
every call of the kernel has been decided upon.  Numbers: include/uapi/linux/*.h, alike on both architectures.
"""

from __future__ import annotations

from typing import Dict, List

from fx_lsp.worker.sandbox import _prctl

BASE: Dict[str, str] = {
    "network": "socket socketpair connect bind listen accept accept4 sendto sendmmsg recvmmsg",
    "other processes": "ptrace process_vm_readv process_vm_writev process_madvise process_mrelease pidfd_getfd kcmp",
    "queues beside the calls": "io_uring_setup io_uring_enter io_uring_register io_setup io_submit",
    "inner parts of the kernel": "bpf perf_event_open userfaultfd keyctl add_key request_key lookup_dcookie syslog",
    "mounts": "mount umount2 pivot_root move_mount open_tree open_tree_attr fsopen fsconfig fsmount fspick"
    " mount_setattr chroot quotactl quotactl_fd swapon swapoff",
    "name spaces": "setns unshare",
    "the machine": "reboot kexec_load kexec_file_load create_module init_module finit_module delete_module acct"
    " settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname vhangup",
    "the processor": "iopl ioperm modify_ldt personality",
    "long forgotten": "uselib remap_file_pages nfsservctl _sysctl",
    "files without their paths": "open_by_handle_at name_to_handle_at fanotify_init fanotify_mark",
    "devices": "mknod mknodat",
    "modes, owners, times": "chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat utime utimes utimensat"
    " futimesat",
    "attributes": "setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat"
    " file_setattr lsm_set_self_attr",
    "memory that is a file": "memfd_create memfd_secret",
    "memory that stays": "shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl"
    " mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr",
    "memory of others": "mlock mlock2 mlockall migrate_pages move_pages",
    "precedence": "setpriority ioprio_set sched_setscheduler sched_setparam sched_setattr",
    "identity": "setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset",
}
"""For a worker from its start on; the keys say what it is kept from."""

CHILD: Dict[str, str] = {
    **BASE,
    "sockets that it might have": "sendmsg recvmsg recvfrom getsockopt setsockopt getsockname getpeername shutdown",
    "processes and threads": "fork vfork clone execve execveat",
    "signals": "tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal",
    "a sandbox of its own": "landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp",
    "making others wait": "flock sync syncfs inotify_init inotify_init1 inotify_add_watch",
    "what no model needs": "splice tee vmsplice listmount statmount",
}
"""For a process that runs user code."""

CHANGES: Dict[str, str] = {
    "names of files": "rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat",
    "folders": "mkdir mkdirat rmdir",
    "sizes": "truncate creat",
}
"""Where there is no Landlock, which does it better: what exists already is still said to exist."""

ATTRIBUTES: Dict[str, str] = {
    "reading attributes": "getxattr lgetxattr fgetxattr getxattrat listxattr llistxattr flistxattr listxattrat",
}
"""Landlock does not guard them: for a process that runs user code no file has any."""

PATIENT = 15
"""Precedence of a run that nobody waits for."""

NAMESPACES = 0x7E020000 | 0x80
"""CLONE_NEW*: what `clone` must not be asked for."""

THREAD = 0x10000
"""CLONE_THREAD."""

IOCTLS = (0x5401, 0x802C542A, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS, TCGETS2, TIOCGPGRP, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX.  No others: they type into terminals,
and change what was opened for reading only (attributes, verity, subvolumes)."""

FCNTLS = (0, 1, 2, 3, 4, 5, 9, 11, 1025, 1027, 1028, 1030, 1032, 1034)
"""F_DUPFD, F_[GS]ETFD, F_[GS]ETFL, F_GETLK, F_GETOWN, F_GETSIG, F_GETLEASE, F_DUPFD_QUERY, F_CREATED_QUERY,
F_DUPFD_CLOEXEC, F_GETPIPE_SZ, F_GET_SEALS.  No signals to others on input, leases, notifications or big pipes."""

LOCKS = (6, 7, 36, 37, 38)
"""F_SETLK, F_SETLKW, F_OFD_*: other programs would wait for a child that holds one."""

PRCTLS = (
    *(2, 3, 42, 0x41555856),
    *(_prctl.SET_NAME, _prctl.GET_NAME, _prctl.SET_VMA, _prctl.GET_SECCOMP, _prctl.CAPBSET_READ),
    *(_prctl.GET_NO_NEW_PRIVS, _prctl.SVE_GET_VL, _prctl.SME_GET_VL),
)
"""What a child may ask about itself (PDEATHSIG, DUMPABLE, THP_DISABLE, AUXV…), and naming its thread and memory."""


def names(groups: Dict[str, str]) -> List[str]:
    """All the calls of the groups."""
    return [name for group in groups.values() for name in group.split()]
