// SIGTERM and SIGINT: the first stops the service, a second ends the process at once. (contract 0.3.3)

import { constants } from 'node:os'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import type { RunningService } from './service.ts'

export function stopOnSignal(
  service: Pick<RunningService, 'stop'>,
  log: Log,
  { repeatedSignalMs }: Pick<Limits, 'repeatedSignalMs'>,
  written: () => Promise<void>,
): void {
  let begunMs: number | null = null
  const receive = (signal: 'SIGTERM' | 'SIGINT'): void => {
    const nowMs = performance.now()
    if (begunMs === null) {
      begunMs = nowMs
      log.info('Stopping.', { signal })
      void stop(service, log, written)
    } else if (nowMs - begunMs > repeatedSignalMs) {
      log.warn('A second signal ends the service before it has stopped.', { signal })
      // The exit code of shells for a signal.
      process.exit(128 + constants.signals[signal])
    }
  }
  process.on('SIGTERM', receive).on('SIGINT', receive)
}

async function stop(service: Pick<RunningService, 'stop'>, log: Log, written: () => Promise<void>): Promise<void> {
  try {
    await service.stop()
  } catch (error) {
    log.error('The service could not be stopped as it should.', { err: error })
    await written()
    process.exit(1)
  }
  log.info('Stopped.')
  await written()
  process.exit(0)
}
