import { decimal } from 'duet-api'

/** An amount of money, exact to the cent. */
export const amount = () => decimal({ precision: 14, scale: 2 })
export const price = () => decimal({ precision: 12, scale: 2, min: '0' })
/** How much of something was used: of the API, of storage. */
export const quantity = () => decimal({ precision: 12, scale: 3, min: '0' })
