import { Button } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
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
          <Button mt="sm" variant="default" renderRoot={(props) => <Link to="/app" {...props} />}>
            {say('errors.home')}
          </Button>
        }
      />
    </>
  )
}
