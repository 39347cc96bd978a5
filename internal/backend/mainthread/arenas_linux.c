#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__

// ccp_heaps_of_threads gives each thread a heap of its own, later than the constructor of package backend that asks for one heap. It does not
// where threads other than the main one take large blocks, which would be mapped and cleared each time: those of a server, and those
// that multiply bfloat16. The command line is all that is known so early.
__attribute__((constructor)) static void ccp_heaps_of_threads(int argc, char **argv) {
	const char *wish = getenv("CCP_MALLOC");
	if (wish != NULL && strcmp(wish, "default") == 0) return;
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "serve") == 0 || strstr(argv[i], "bfloat16") != NULL) return;
	mallopt(M_ARENA_MAX, 16);
}

#endif
