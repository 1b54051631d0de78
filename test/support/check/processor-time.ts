// How long this process has run: unlike the time of a clock, the same on a busy machine.

/** Its types are older than the Node that tests run on. */
const { threadCpuUsage } = process as unknown as { threadCpuUsage(): { user: number; system: number } }

/** Milliseconds of processor time of the main thread, since its start. */
export const mainThreadMs = (): number => inMs(threadCpuUsage.call(process))

/** Milliseconds of processor time of all threads, since the start of this process. */
export const processMs = (): number => inMs(process.cpuUsage())

const inMs = ({ user, system }: { user: number; system: number }): number => (user + system) / 1_000
