// Limits of the services and stores that tests open: how late a process or a database is depends on the machine.

import type { Limits } from '../../../src/limits.ts'

export const patientLimits = {
  lateMs: 1e9,
  veryLateMs: 1e9,
  connectTimeoutMs: 30_000,
  writeWaitMs: 30_000,
  effectTimeoutMs: 60_000,
  executionTimeoutMs: 60_000,
  queryTimeoutMs: 60_000,
  statementTimeoutMs: 60_000,
  whereTimeoutMs: 60_000,
  // A read that takes longer is sent again, and counted twice.
  readBlockingMs: 5_000,
} satisfies Partial<Limits>
