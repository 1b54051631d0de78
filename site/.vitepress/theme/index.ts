// The default theme without its fonts: pages are shown in those that the reader has.

import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default theme
