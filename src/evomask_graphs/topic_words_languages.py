"""Words of the thesis' topics in German, Spanish and French.

Accents do not matter. ``*`` stands for any ending; two words joined by ``_`` must be adjacent.
"""

GERMAN = {
    "Business_Finance": """
        aktie* aktien* anleihe* bank banken borse* borsen* dividende* firma firmen inflation
        investor* konjunktur* konzern* kredit* umsatz* unternehm* wirtschaft* zinsen
    """,
    "Disaster_Accident": """
        absturz* brand erdbeben* explosion* feuerwehr* katastroph* lawine* rettungs* tsunami*
        unfall* ungluck* verungluck* vulkan* waldbrand*
    """,
    "Education": """
        abitur* bildung* dozent* hausaufgabe* hochschul* kita lehrer* prufung* schule* schuler*
        stipendi* student* studier* studium universitat* unterricht* vorlesung*
    """,
    "Entertainment_Culture": """
        album* ausstellung* buch bucher buhne* film* gemalde* kino* konzert* kunst kunstler*
        literatur* museum* musik* oper roman romane sanger* schauspiel* serie* theater*
    """,
    "Environment": """
        abgas* artenschutz* artenvielfalt emission* klima klimaschutz* klimawandel* nachhaltig*
        naturschutz* okologi* recycl* regenwald* solar* treibhaus* umwelt* windkraft*
    """,
    "Health_Medical_Pharma": """
        arzt arzte* arztin* chirurg* covid* diagnos* epidemi* fieber gesundheit* grippe* impf*
        klinik* krank* krebs* medikament* medizin* patient* pflege* symptom* therapi*
    """,
    "Hospitality_Recreation": """
        bier* cafe campingplatz* essen ferien flughafen* fruhstuck* garten* hotel* kaffee* kochen
        kuche* kuchen reise* restaurant* rezept* strand* tourist* urlaub* wandern* wanderung* wein
    """,
    "Human Interest": """
        baby* eltern enkel* familie* freundschaft* geburtstag* haustier* hochzeit* hund hunde
        kater katze* mama niedlich* oma opa papa
    """,
    "Labor": """
        arbeitgeber* arbeitnehmer* arbeitslos* arbeitsmarkt* arbeitsplatz* arbeitszeit*
        beschaftigte* entlassung* gehalt gehalter gewerkschaft* lohn* mindestlohn* rente*
        stellenabbau* streik* tarif* uberstunde*
    """,
    "Law_Crime": """
        angeklagt* anwalt* betrug* diebstahl* einbruch* ermittl* gefangnis* gericht gesetz*
        haftbefehl* justiz* kriminal* mord* polizei* prozess raub* richter* staatsanwalt*
        straftat* urteil* verbrech* verdachtig*
    """,
    "Politics": """
        abgeordnet* abstimmung* bundeskanzler* bundesrat* bundestag* demokrati* diplomat* kanzler*
        koalition* landtag* minister* opposition* parlament* partei* politik* prasident*
        referendum* regierung* senat* wahl wahlen wahler* wahlkampf*
    """,
    "Religion_Belief": """
        bibel* bischof* buddhis* christ christen* christlich* evangel* gebet* glaube* gott gottes*
        islam* jesus judentum* kathol* kirche* koran* moschee* muslim* ostern papst* pfarrer*
        predigt* priester* ramadan* religi* synagoge* weihnacht*
    """,
    "Social Issues": """
        armut* asyl* benachteilig* diskriminier* ehrenamt* einwander* feminis* fluchtling*
        geflucht* gleichberechtig* gleichstell* integration* menschenrecht* migra* minderheit*
        obdachlos* protest* rassis* sexismus* sozialhilfe* ungleichheit*
    """,
    "Sports": """
        athlet* bundesliga* elfmeter* fussball* halbfinale* handball* leichtathlet* liga
        mannschaft* marathon* medaille* meisterschaft* olympi* pokal* radrennen* schiedsrichter*
        spieler* sport* stadion* sturmer* tennis* torwart* trainer* turnier* wm
    """,
    "Technology_Internet": """
        algorithm* android app apps browser* computer* cyber* daten datenbank* digital*
        festplatte* handy* informatik* internet* kunstliche_intelligenz netzwerk* passwort*
        programmier* roboter* server* smartphone* software* technologi* webseite*
    """,
    "Weather": """
        durre* eis frost* gewitter* grad_celsius hagel* hitze* hochwasser* nebel* niederschlag*
        orkan* regen regenschauer* regnet schnee* schneit sonnig* sturm sturmtief* temperatur*
        unwetter* wetter* wind windig* wolken*
    """,
    "War_Conflict": """
        angriff* armee* bombe* front gefecht* geisel* invasion* kampfpanzer* krieg* militar*
        munition* nato panzer* rakete* rebell* sanktion* soldat* streitkraft* terror* truppe*
        waffe* waffenstillstand*
    """,
}

SPANISH = {
    "Business_Finance": """
        acciones accionista* banco* bolsa comercio credito* dividendo* econom* empresa* empresari*
        financier* finanz* inflacion inversion* inversor* mercado* negocio* prestamo*
    """,
    "Disaster_Accident": """
        accidente* avalancha* bombero* catastrofe* derrumbe* desastre* evacua* explosion*
        incendio* naufragio* rescat* sismo* terremoto* tsunami* victima* volcan*
    """,
    "Education": """
        alumno* aula* bachillerato beca* clase colegio* deberes educacion* educativ* ensenanza*
        escolar* escuela* estudiant* examen* maestr* profesor* universi*
    """,
    "Entertainment_Culture": """
        actor actores actriz* album* artista* cancion* cantante* cine* concierto* cultur*
        exposicion* libro* literatura museo* musica* novela* opera pelicula* pintor* pintura*
        poema* poesia serie teatro*
    """,
    "Environment": """
        ambiental* biodiversidad calentamiento_global cambio_climatico clima* contaminacion*
        deforest* ecolog* ecosistema* emision* energia_solar medio_ambiente recicla* reciclaj*
        renovable* sostenib*
    """,
    "Health_Medical_Pharma": """
        cancer* cirug* clinic* covid* diagnos* enfermedad* enfermer* epidemia* farmac* gripe
        hospital* medic* pacient* pandemia* salud* sanitari* sintoma* terapia* tratamiento*
        vacuna* virus
    """,
    "Hospitality_Recreation": """
        aeropuerto* almuerzo* bar cafe cafeteria* cena* cerveza* cocina* comida* excursion* hotel*
        jardin* playa* postre* receta* restaurante* senderismo turis* vacaciones viaj* vino*
    """,
    "Human Interest": """
        abuela* abuelo* amistad* bebe* boda* cachorro* cumpleanos familia* gatito* gato* hija*
        hijo* mama mascota* papa perro* ternura tierno*
    """,
    "Labor": """
        contrato_laboral desempleo* despido* empleado* empleador* empleo* huelga* jornada*
        jubilacion* laboral* nomina* obrero* pension* salari* sindica* sueldo* trabajador*
    """,
    "Law_Crime": """
        abogad* acusad* asesin* atraco* carcel* condena* crimen* criminal* delito* detenid*
        fiscal* fraude* homicidi* juez* juicio* justicia* ladron* ley leyes policia* prision*
        robo* sentencia* tribunal*
    """,
    "Politics": """
        alcald* campana_electoral candidat* congreso* constitucion* democra* diplomatic* diputad*
        eleccion* electoral* gobern* gobierno* ministr* parlament* partido_politico politic*
        president* referendum* senad* votante* votar* votos
    """,
    "Religion_Belief": """
        biblia* budis* catedral* catolic* coran cristian* dios evangeli* iglesia* islam* jesus
        judaismo mezquita* misa* musulman* navidad* obispo* oracion* papa_francisco pascua*
        ramadan religi* rezar sacerdote* sinagoga* templo*
    """,
    "Social Issues": """
        aborto* activis* derechos_humanos desigualdad* discrimin* diversidad feminis* genero
        igualdad* inclusion inmigra* migra* minoria* pobreza* protesta* racis* refugiad* sexis*
        sinhogar voluntari*
    """,
    "Sports": """
        arbitro* atleta* atletismo baloncesto* campeon* ciclis* copa deport* entrenador* equipo
        estadio* futbol* gol goleador* goles jugador* liga maraton* medalla* olimpi* partido
        penalti* seleccion_nacional tenis* torneo* voleibol
    """,
    "Technology_Internet": """
        algoritmo* android aplicacion* app ciber* codigo* computador* contrasena* datos digital*
        hardware informatic* inteligencia_artificial internet movil navegador* ordenador*
        programacion programador* red_social robot* servidor* smartphone* software tecnolog*
    """,
    "Weather": """
        borrasca* calor chubasco* ciclon* grados_centigrados granizo* helada* huracan* inundacion*
        llueve lluvia* meteorolog* nevada* niebla* nieva nieve ola_de precipitacion* sequia*
        soleado* temperatura* tiempo_soleado tormenta* tornado* viento* vientos
    """,
    "War_Conflict": """
        arma armada armamento* armas ataque* batalla* bomba* bombarde* combate* conflicto*
        ejercito* guerra* guerrill* invasion* militar* misil* munici* otan rebelde* sancion*
        soldad* terroris* tregua* tropa*
    """,
}

FRENCH = {
    "Business_Finance": """
        action_en actionnaire* banque* bourse* chiffre_affaires commerce commercial* credit*
        dividende* econom* entrepreneur* entreprise* financ* inflation investiss* marche_financier
        profits taux
    """,
    "Disaster_Accident": """
        accident* avalanche* catastrophe* deraill* effondre* evacu* explosion* incendi* naufrage*
        pompier* sauvet* secours seisme* sinistre* tremblement_de tsunami* victime* volcan*
    """,
    "Education": """
        baccalaureat classe college* cours devoirs diplome* ecole* educati* eleve*
        enseign* etudiant* examen* lycee* professeur* rentree scolaire* scolar* universi*
    """,
    "Entertainment_Culture": """
        acteur* actrice* album* artist* chanson* chanteu* cinema* concert* cultur* exposition*
        film* litterat* livre* musee* musi* opera peintre* peinture* poeme* poesie roman romans
        serie spectacle* theatre*
    """,
    "Environment": """
        biodiversite changement_climatique climat* deforest* durable* ecolog* ecosysteme*
        emissions energie_solaire environnement* eolien* especes foret_tropicale pollu*
        rechauffement recycl* renouvelable*
    """,
    "Health_Medical_Pharma": """
        cancer* chirurg* clinique* covid* diagnosti* docteur epidemi* grippe hopita* infirm*
        malad* medec* medica* medicament* pandemi* patient patients pharma* sante soignant*
        symptome* therap* traitement* vaccin* virus
    """,
    "Hospitality_Recreation": """
        aeroport* auberge* bar biere* cafe cuisin* dejeuner* dessert* diner gastronom* hotel*
        jardin* plage* randonn* recette* repas restaurant* sejour* touris* vacances vin vins
        voyag*
    """,
    "Human Interest": """
        amitie* anniversaire* bebe* chat chaton* chats chien* chiot* famil* grand_mere grand_pere
        maman mariage* mignon* papa
    """,
    "Labor": """
        chomage* chomeu* embauche* emploi* employe* employeu* greve* grevist* licenci* ouvrier*
        patronat retraite* salaire* salari* smic syndica* travailleu*
    """,
    "Law_Crime": """
        accuse* agression* assassin* avocat* braquage* condamn* crime* criminel* delit* enquete*
        escroc* fraude* gendarm* judiciaire* juge juges justice loi lois meurtr* police* policier*
        prison* proces procureur* tribuna* voleu*
    """,
    "Politics": """
        assemblee_nationale campagne_electorale candidat* constitution* democra* depute* diplomat*
        electeu* election* elector* gouvernement* maire maires ministre* opposition parlement*
        parti_politique politi* president* referendum* scrutin* senat* vote voter votes
    """,
    "Religion_Belief": """
        bible* bouddhis* cathedrale* catholi* chretien* coran croyan* dieu eglise* evangil*
        eveque* imam* islam* jesus judaisme juif juifs messe mosquee* musulman* noel pape paques
        pretre* prier* priere* protestant* ramadan religi* synagogue* temple*
    """,
    "Social Issues": """
        avortement* benevol* discrimin* diversite droits_humains egalite* exclusion feminis* genre
        immigr* inclusion inegalit* manifestation* migrant* migrat* minorite* pauvre* precar*
        racis* refugi* sans_abri sexis*
    """,
    "Sports": """
        arbitre* athlet* ballon basket* but buteur* champion* coupe cyclis* entraineu* equipe
        foot* gardien_de jeux_olympiques joueu* ligue marathon* match* medaille* olympi* penalty
        rugby* sport sporti* sports stade* tennis* tournoi*
    """,
    "Technology_Internet": """
        algorithm* android application* code_source cyber* donnees_personnelles informati*
        intelligence_artificielle internet logiciel* navigateur* numerique* ordinateur* pirat*
        programm* reseau_social robot* serveur_informatique smartphone* technolog*
        telephone_portable
    """,
    "Weather": """
        averse* brouillard* brume* canicul* celsius cyclone* ensoleill* gel grele* inondation*
        meteo* neige* nuage* orage* ouragan* pleut pluie* pluvieu* secheresse* temperature*
        tempete* tonnerre tornade* vent vents verglas
    """,
    "War_Conflict": """
        arme armee* armement* armes assaut* attaque* bataill* bombard* bombe* cessez combat*
        conflit* front guerilla* guerre* invasion* militaire* missile* munition* otan rebell*
        sanction* soldat* terroris* treve* troupe*
    """,
}

WORDS_BY_LANGUAGE = {"de": GERMAN, "es": SPANISH, "fr": FRENCH}
