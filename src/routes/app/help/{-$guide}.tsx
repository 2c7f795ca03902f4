import { Text } from '@mantine/core'
import { createFileRoute, notFound } from '@tanstack/react-router'
import { CONTENTS, guidePage } from '~/features/office/help/guide'
import { GuideText } from '~/features/office/help/GuideText'
import { parseMarkdown } from '~/features/office/help/markdown'
import { textDirection } from '~/shared/language'
import { useSay } from '~/shared/say'
import { Page } from '~/ui/Page'

export const Route = createFileRoute('/app/help/{-$guide}')({
  loader: async ({ params: { guide }, context: { viewer } }) => {
    const name = guide ?? CONTENTS
    const page = await guidePage(name, viewer.language)
    if (!page) throw notFound()
    return { name, ...page }
  },
  component: HelpPage,
})

function HelpPage() {
  const say = useSay()
  const { name, markdown, language } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  const [first, ...blocks] = parseMarkdown(markdown)
  const title = first?.kind === 'heading' ? first.line.map(({ text }) => text).join('') : name
  return (
    <Page
      narrow
      title={{ text: title }}
      crumbs={name === CONTENTS ? [] : [{ label: 'help.title', to: '/app/help' }]}
      lead={language !== viewer.language && <Text size="sm">{say('help.onlyEnglish')}</Text>}
    >
      <div lang={language} dir={textDirection(language)}>
        <GuideText blocks={blocks} />
      </div>
    </Page>
  )
}
