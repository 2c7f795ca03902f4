import { keepCompiled } from './compiled'
import { leaveRoot } from './leave-root'

// React chooses its build when it loads, and an import of the jobs loads it: set this before any
// other import. Otherwise the development build of React meets the production build of the server
// renderer, and no screen renders.
process.env['NODE_ENV'] ||= 'production'
leaveRoot()
keepCompiled()
void import('./serve')
