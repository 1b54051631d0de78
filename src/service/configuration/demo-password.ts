/** The published default password of demo accounts. (contract 2.10.1) */
export const demoPassword = 'duet-demo-password'
