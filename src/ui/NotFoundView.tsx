import { Button } from '@mantine/core'
import { IconMapQuestion } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Message } from '~/shared/errors'
import { DocumentTitle } from './DocumentTitle'
import { EmptyState } from './EmptyState'
import { useSay } from '~/shared/say'

/** A page that is not there, or a record that is not there for this person. */
export function NotFoundView({ text }: { text?: Message }) {
  const say = useSay()
  return (
    <>
      <DocumentTitle page="errors.notFound" />
      <EmptyState
        icon={IconMapQuestion}
        isPage
        title="errors.notFound"
        text={text && text.key !== 'errors.notFound' ? text : 'errors.notFoundText'}
        action={
          <Button mt="sm" variant="default" renderRoot={(props) => <Link to="/app" {...props} />}>
            {say('errors.home')}
          </Button>
        }
      />
    </>
  )
}
