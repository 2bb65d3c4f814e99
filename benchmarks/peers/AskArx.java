import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/** The best recoding by ARX, for whoever has its jar: FILE TREES K SHARE OUT NAME... */
public class AskArx {
    public static void main(String[] asked) throws Exception {
        double best = Double.MAX_VALUE;
        int[] levels = {};
        int left = 0;
        for (int run = 0; run < 3; run++) {
            Data data = Data.create(asked[0], StandardCharsets.UTF_8, ',');
            for (String name : Arrays.copyOfRange(asked, 5, asked.length)) {
                data.getDefinition().setAttributeType(name, AttributeType.Hierarchy.create(
                    asked[1] + "/" + name + ".csv", StandardCharsets.UTF_8, ';'));
            }
            ARXConfiguration wish = ARXConfiguration.create();
            wish.addPrivacyModel(new KAnonymity(Integer.parseInt(asked[2])));
            wish.setSuppressionLimit(Double.parseDouble(asked[3]));
            wish.setQualityModel(Metric.createLossMetric());
            long began = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            ARXResult found = new ARXAnonymizer().anonymize(data, wish);
            long ended = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            best = Math.min(best, (ended - began) / 1e9);
            levels = Arrays.stream(asked, 5, asked.length)
                .mapToInt(found.getGlobalOptimum()::getGeneralization).toArray();
            left = found.getOutput(false).getStatistics().getEquivalenceClassStatistics()
                .getNumberOfSuppressedRecords();
        }
        Files.writeString(Path.of(asked[4]), best + "\n" + left + "\n" + Arrays.toString(levels));
    }
}
