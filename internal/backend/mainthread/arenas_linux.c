#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__

// ccp_heaps_of_threads gives each thread a heap of its own where the program trains, later than the constructor of package backend that asks
// for one heap. It does not where threads other than the main one take large blocks, which would be mapped and cleared each time: those that
// multiply bfloat16, those of several devices, and a server's. The command line is all that is known so early.
__attribute__((constructor)) static void ccp_heaps_of_threads(int argc, char **argv) {
	const char *wish = getenv("CCP_MALLOC");
	if (wish != NULL && strcmp(wish, "default") == 0) return;
	int trains = 0;
	for (int i = 1; i < argc; i++) {
		trains |= strcmp(argv[i], "train") == 0 || strcmp(argv[i], "compare") == 0 || strcmp(argv[i], "reproduce") == 0 || strcmp(argv[i], "--arch") == 0;
		if (strstr(argv[i], "bfloat16") != NULL || strncmp(argv[i], "--devices", 9) == 0) return;
	}
	if (trains) mallopt(M_ARENA_MAX, 16);
}

#endif
