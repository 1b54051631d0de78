// To be imported before a program whose service runs beside other tests: how late it is depends on the machine.

import { defaultLimits } from '../../../src/limits.ts'
import { patientLimits } from '../server/patient-limits.ts'

Object.assign(defaultLimits, patientLimits)
