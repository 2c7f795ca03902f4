import { IconMapQuestion } from '@tabler/icons-react'
import { LinkButton } from '~/client/links'
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
          <LinkButton mt="sm" variant="default" to="/app">
            {say('errors.home')}
          </LinkButton>
        }
      />
    </>
  )
}
