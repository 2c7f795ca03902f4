import { IconLock } from '@tabler/icons-react'
import { LinkButton } from '~/client/links'
import { useSay } from '~/shared/say'
import { DocumentTitle } from './DocumentTitle'
import { EmptyState } from './EmptyState'

/**
 * A page that the user's role or permissions do not open. Retrying would not help, so only the
 * dashboard is offered.
 */
export function ForbiddenView() {
  const say = useSay()
  return (
    <>
      <DocumentTitle page="errors.forbiddenPage" />
      <EmptyState
        icon={IconLock}
        isPage
        title="errors.forbiddenPage"
        text="errors.forbiddenPageText"
        action={
          <LinkButton mt="sm" variant="default" to="/app">
            {say('errors.home')}
          </LinkButton>
        }
      />
    </>
  )
}
