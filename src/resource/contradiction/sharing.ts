// What shared caches keep must be the same for everybody, and a minute later.

import type { Model } from '../model/model.ts'
import { asksForTime } from '../model/time-dependence.ts'
import type { Report } from './report.ts'

export function sharingContradictions({ resources }: Model, report: Report): void {
  for (const resource of resources) {
    if (resource.read.maxAgeSeconds === null) continue
    for (const [field, { read }] of resource.protect)
      if (read !== undefined && asksForTime(read, resource))
        report(
          `${resource.name}.protect.${field}`,
          'who may read it depends on the time, and shared caches keep the answer',
          'strike maxAgeSeconds of read',
        )
  }
}
