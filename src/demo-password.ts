/** The password of the demo accounts; printed at every start with demo data. (contract 0, 2) */
export const demoPassword = 'duet-demo-password'
