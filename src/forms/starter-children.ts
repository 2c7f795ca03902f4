import {
  allOf,
  anyOf,
  choice,
  choices,
  from,
  heading,
  height,
  longText,
  medicines,
  nextVisit,
  note,
  number,
  starter,
  temperature,
  weight,
  when,
  yesNo,
} from './starter-parts'

/**
 * WHO and UNICEF, Integrated Management of Childhood Illness, chart booklet (2014): general danger signs, fast breathing
 * (60 below 2 months, 50 from 2 months, 40 from 12 months). Mid-upper arm circumference: WHO child growth standards and the
 * identification of severe acute malnutrition (2009), 11.5 cm and 12.5 cm at 6 to 59 months.
 */
export const childVisit = starter(
  'child-under-five',
  ['Child under five', 'طفل دون الخامسة', 'Menor de cinco años'],
  [
    'Sick or well child under five, based on IMCI.',
    'طفل مريض أو سليم دون الخامسة، وفق الرعاية المتكاملة لأمراض الطفولة (IMCI).',
    'Menor de cinco años, enfermo o sano, según AIEPI.',
  ],
  [
    number('months', ['Age in months', 'العمر بالأشهر', 'Edad en meses'], {
      compute: from('ageMonths', []),
    }),
    longText('complaint', ['Chief complaint', 'الشكوى الرئيسية', 'Motivo de consulta'], {
      required: true,
    }),
    choices(
      'danger',
      ['General danger signs', 'علامات الخطر العامة', 'Signos generales de peligro'],
      [
        [
          'drink',
          'Unable to drink or breastfeed',
          'عدم القدرة على الشرب أو الرضاعة',
          'No puede beber ni tomar el pecho',
        ],
        ['vomits', 'Vomits everything', 'تقيؤ كل شيء', 'Vomita todo'],
        [
          'convulsions',
          'Convulsions in this illness',
          'اختلاجات (تشنّجات) خلال هذا المرض',
          'Convulsiones durante esta enfermedad',
        ],
        ['lethargic', 'Lethargic or unconscious', 'خمول أو فقدان الوعي', 'Letárgico o inconsciente'],
        ['convulsing', 'Convulsing now', 'اختلاج (تشنّج) الآن', 'Convulsiona en este momento'],
      ],
    ),
    note(
      'danger_note',
      [
        'Danger sign: give the first dose of treatment, prevent low blood sugar, keep the child warm and refer urgently.',
        'علامة خطر: إعطاء أول جرعة من العلاج، والوقاية من نقص سكر الدم، وتدفئة الطفل، وإحالته عاجلًا.',
        'Signo de peligro: dé la primera dosis del tratamiento, prevenga la hipoglucemia, mantenga abrigado al niño y derive con urgencia.',
      ],
      { showIf: when('danger', 'answered') },
    ),
    weight(),
    height(),
    temperature(),
    number('muac', ['Mid-upper arm circumference', 'محيط منتصف العضد', 'Perímetro braquial'], {
      unit: 'cm',
      limits: { min: 5, max: 30 },
      normal: { min: 12.5 },
      showIf: when('__age_months__', 'atLeast', 6),
    }),
    yesNo('oedema', ['Oedema of both feet', 'وذمة القدمين', 'Edema de ambos pies']),
    note(
      'malnutrition_severe',
      [
        'Severe acute malnutrition: mid-upper arm circumference below 11.5 cm, or oedema of both feet. Test the appetite and check for complications.',
        'سوء تغذية حاد شديد: محيط منتصف العضد أقل من 11.5 سم، أو وذمة القدمين. اختبار الشهية والبحث عن مضاعفات.',
        'Desnutrición aguda grave: perímetro braquial menor de 11.5 cm o edema de ambos pies. Haga la prueba del apetito y busque complicaciones.',
      ],
      { showIf: anyOf(when('muac', 'lessThan', 11.5), when('oedema', 'is', 'yes')) },
    ),
    note(
      'malnutrition_moderate',
      [
        'Moderate acute malnutrition: mid-upper arm circumference from 11.5 to below 12.5 cm. Counsel on feeding, give supplements and follow up.',
        'سوء تغذية حاد متوسط: محيط منتصف العضد من 11.5 إلى أقل من 12.5 سم. تقديم نصائح التغذية وإعطاء المكمّلات وتحديد موعد مراجعة.',
        'Desnutrición aguda moderada: perímetro braquial de 11.5 a menos de 12.5 cm. Oriente sobre la alimentación, dé suplementos y cite a control.',
      ],
      { showIf: allOf(when('muac', 'atLeast', 11.5), when('muac', 'lessThan', 12.5)) },
    ),
    heading('cough_heading', [
      'Cough or difficult breathing',
      'السعال أو صعوبة التنفّس',
      'Tos o dificultad para respirar',
    ]),
    yesNo('cough', [
      'Cough or difficult breathing present',
      'يوجد سعال أو صعوبة تنفّس',
      'El niño tose o respira con dificultad',
    ]),
    number(
      'breaths',
      [
        'Respiratory rate (breaths per minute, child calm)',
        'عدد الأنفاس في الدقيقة والطفل هادئ',
        'Frecuencia respiratoria (respiraciones por minuto, niño tranquilo)',
      ],
      {
        limits: { min: 5, max: 150 },
        showIf: when('cough', 'is', 'yes'),
      },
    ),
    choices(
      'chest',
      ['Signs on examination', 'العلامات عند الفحص', 'Signos al examen'],
      [
        ['indrawing', 'Chest indrawing', 'انسحاب صدري', 'Tiraje subcostal'],
        ['stridor', 'Stridor when calm', 'صرير عند الهدوء', 'Estridor en reposo'],
        ['wheeze', 'Wheezing', 'أزيز', 'Sibilancias'],
      ],
      { showIf: when('cough', 'is', 'yes') },
    ),
    note(
      'fast_young',
      [
        'Fast breathing at this age: 60 or more.',
        'تنفّس سريع في هذا العمر: 60 أو أكثر.',
        'Respiración rápida a esta edad: 60 o más.',
      ],
      { showIf: allOf(when('__age_months__', 'lessThan', 2), when('breaths', 'atLeast', 60)) },
    ),
    note(
      'fast_infant',
      [
        'Fast breathing at this age: 50 or more.',
        'تنفّس سريع في هذا العمر: 50 أو أكثر.',
        'Respiración rápida a esta edad: 50 o más.',
      ],
      {
        showIf: allOf(
          when('__age_months__', 'atLeast', 2),
          when('__age_months__', 'lessThan', 12),
          when('breaths', 'atLeast', 50),
        ),
      },
    ),
    note(
      'fast_child',
      [
        'Fast breathing at this age: 40 or more.',
        'تنفّس سريع في هذا العمر: 40 أو أكثر.',
        'Respiración rápida a esta edad: 40 o más.',
      ],
      { showIf: allOf(when('__age_months__', 'atLeast', 12), when('breaths', 'atLeast', 40)) },
    ),
    heading('diarrhoea_heading', ['Diarrhoea', 'الإسهال', 'Diarrea']),
    yesNo('diarrhoea', ['Diarrhoea present', 'يوجد إسهال', 'El niño tiene diarrea']),
    number('diarrhoea_days', ['Duration of diarrhoea (days)', 'مدة الإسهال (أيام)', 'Duración de la diarrea (días)'], {
      limits: { min: 0, max: 365 },
      showIf: when('diarrhoea', 'is', 'yes'),
    }),
    yesNo('blood', ['Blood in the stool', 'دم في البراز', 'Sangre en las heces'], {
      showIf: when('diarrhoea', 'is', 'yes'),
    }),
    choices(
      'dehydration',
      ['Signs of dehydration', 'علامات الجفاف', 'Signos de deshidratación'],
      [
        ['restless', 'Restless or irritable', 'تململ أو تهيّج', 'Inquieto o irritable'],
        ['eyes', 'Sunken eyes', 'عينان غائرتان', 'Ojos hundidos'],
        ['thirsty', 'Drinks eagerly, thirsty', 'شرب بلهفة وعطش', 'Bebe con avidez, con sed'],
        [
          'poorly',
          'Drinks poorly or unable to drink',
          'ضعف الشرب أو عدم القدرة على الشرب',
          'Bebe mal o no puede beber',
        ],
        ['slow', 'Skin pinch goes back slowly', 'عودة ثنية الجلد ببطء', 'El pliegue cutáneo vuelve lentamente'],
        [
          'very_slow',
          'Skin pinch goes back very slowly',
          'عودة ثنية الجلد ببطء شديد',
          'El pliegue cutáneo vuelve muy lentamente',
        ],
      ],
      { showIf: when('diarrhoea', 'is', 'yes') },
    ),
    heading('fever_heading', ['Fever, ears, feeding', 'الحمّى والأذنان والتغذية', 'Fiebre, oídos, alimentación']),
    number('fever_days', ['Duration of fever (days)', 'مدة الحمّى (أيام)', 'Duración de la fiebre (días)'], {
      limits: { min: 0, max: 365 },
    }),
    choice(
      'malaria',
      ['Malaria test', 'فحص الملاريا', 'Prueba de malaria'],
      [
        ['negative', 'Negative', 'سلبي', 'Negativo'],
        ['positive', 'Positive', 'إيجابي', 'Positivo'],
        ['not_done', 'Not done', 'لم يُجرَ', 'No realizado'],
      ],
    ),
    yesNo('ear', ['Ear pain or discharge', 'ألم أو سيلان من الأذن', 'Dolor o secreción de oído']),
    yesNo('breastfed', ['Breastfed', 'رضاعة من الأم', 'Toma el pecho'], {
      showIf: when('__age_months__', 'lessThan', 24),
    }),
    yesNo('vaccines', ['Vaccines up to date', 'اللقاحات مستكملة', 'Vacunas al día']),
    choices(
      'given',
      ['Given today', 'أُعطي اليوم', 'Administrado o entregado hoy'],
      [
        ['ors', 'Oral rehydration salts', 'أملاح الإماهة الفموية (ORS)', 'Sales de rehidratación oral'],
        ['zinc', 'Zinc', 'زنك', 'Zinc'],
        ['vitamin_a', 'Vitamin A', 'فيتامين أ', 'Vitamina A'],
        ['deworming', 'Deworming', 'علاج الديدان', 'Desparasitación'],
        [
          'rutf',
          'Ready-to-use therapeutic food',
          'غذاء علاجي جاهز للاستعمال (RUTF)',
          'Alimento terapéutico listo para el consumo',
        ],
      ],
    ),
    longText('assessment', ['Assessment', 'التقييم', 'Evaluación']),
    medicines(),
    yesNo('return_explained', [
      'Caregiver told when to return immediately',
      'شُرح للأهل متى تجب العودة فورًا',
      'Se explicó al cuidador cuándo volver de inmediato',
    ]),
    nextVisit(),
  ],
)
