/** The password of the demo accounts where DEMO_PASSWORD names no other. Everybody may know it. (contract 2.10.1) */
export const demoPassword = 'duet-demo-password'
