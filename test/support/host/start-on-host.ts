// Starts a service behind a host, as `startService` does behind our own server.

import type { startService } from '../../../src/service/service.ts'

export type StartOnHost = typeof startService
