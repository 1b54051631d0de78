import { decimal } from 'duet-api'

/** An amount of money, exact to the cent, below a hundred thousand million. */
export const amount = () => decimal({ precision: 13, scale: 2 })
export const price = () => decimal({ precision: 12, scale: 2, min: '0' })
export const taxRate = () => decimal({ precision: 5, scale: 4, min: '0', max: '1' })
