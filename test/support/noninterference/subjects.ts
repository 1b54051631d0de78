// The services that are compared.

import { api as reference } from '../../../reference/service.ts'
import type { Service } from '../../../src/resource/language/service.ts'
import { social } from '../domain/example.ts'
import { makeService } from './make-service.ts'

export interface Subject {
  readonly name: string
  readonly definition: (seed: number) => Service<unknown>
}
export const subjects: readonly Subject[] = [
  { name: 'generated', definition: makeService },
  { name: 'reference', definition: () => reference },
  { name: 'social', definition: () => social },
]
