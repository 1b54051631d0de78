// SIGTERM and SIGINT: the first stops the service in order, the next ends the process at once. (contract 0.3.3)

import { constants } from 'node:os'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import type { RunningService } from './service.ts'

export function stopOnSignal(
  service: Pick<RunningService, 'stop'>,
  log: Log,
  { repeatedSignalMs }: Pick<Limits, 'repeatedSignalMs'>,
): void {
  let begunMs: number | null = null
  const receive = (signal: 'SIGTERM' | 'SIGINT'): void => {
    const nowMs = performance.now()
    if (begunMs === null) {
      begunMs = nowMs
      log.info('Stopping.', { signal })
      void stop(service, log)
    } else if (nowMs - begunMs > repeatedSignalMs) {
      log.warn('A second signal ends the service before it has stopped.', { signal })
      // What a shell says of a process that a signal has ended.
      process.exit(128 + constants.signals[signal])
    }
  }
  process.on('SIGTERM', receive).on('SIGINT', receive)
}

async function stop(service: Pick<RunningService, 'stop'>, log: Log): Promise<void> {
  try {
    await service.stop()
  } catch (error) {
    log.error('The service could not be stopped as it should.', { err: error })
    process.exit(1)
  }
  log.info('Stopped.')
  process.exit(0)
}
